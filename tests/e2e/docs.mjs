// Opens /docs, tries "produce" there, prints what happened as JSON: node docs.mjs BASE_URL TOPIC SCREENSHOT
import { chromium } from 'playwright-core';

const [base, topic, screenshot] = process.argv.slice(2);
const produce = '/api/topics/{topic}/records';

const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update',
    '--disable-sync', '--no-first-run'],
});
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 1600 } });
  const requests = [];
  const problems = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => { if (message.type() === 'error') problems.push(message.text()); });
  await page.addInitScript(() => document.addEventListener('securitypolicyviolation',
    (event) => console.error(`CSP: ${event.violatedDirective} ${event.blockedURI}`)));

  await page.goto(`${base}/docs`);
  const operation = page.locator('.opblock-post', { has: page.locator(`[data-path="${produce}"]`) });
  await operation.locator('.opblock-summary-control').click();
  await operation.getByRole('button', { name: 'Try it out' }).click();
  await operation.locator('tr[data-param-name="topic"] input').fill(topic);
  await operation.getByRole('button', { name: 'Execute' }).click();
  const row = operation.locator('.live-responses-table tbody .response-col_status');
  const status = (await row.first().innerText()).trim().split(/\s/)[0];
  await operation.locator('.responses-wrapper').scrollIntoViewIfNeeded();
  await page.screenshot({ path: screenshot });
  console.log(JSON.stringify({ status, problems, requests }));
} finally {
  await browser.close();
}
