// Lints an OpenAPI document with Redocly's recommended rules: node lint_openapi.mjs FILE. Any problem, also a warning, fails.
import { createConfig, formatProblems, getTotals, lint } from '@redocly/openapi-core';

const config = await createConfig({
  extends: ['recommended'],
  rules: {
    'info-license': 'off', // MIT, and the rule wants an address for it
    'no-server-example.com': 'off',
    'no-empty-servers': 'off', // the server that serves the document is the one to call
    'security-defined': 'off', // there are no tokens yet
    'operation-4xx-response': 'off', // health, metrics and the viewer have none
  },
});
const problems = await lint({ ref: process.argv[2], config });
const totals = getTotals(problems);
formatProblems(problems, { format: 'codeframe', totals, version: 'openapi-core', maxProblems: 100 });
process.exit(totals.errors + totals.warnings > 0 ? 1 : 0);
