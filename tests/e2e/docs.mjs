// Opens /docs, tries "create topic" and "produce" there, prints what happened as JSON: node docs.mjs BASE_URL TOPIC SCREENSHOT
import { chromium } from 'playwright-core';

const [base, topic, screenshot] = process.argv.slice(2);

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

  // Opens a POST operation, fills it in, and returns the status that the page shows for the answer.
  async function tryPost(path, fill) {
    const operation = page.locator('.opblock-post', { has: page.locator(`[data-path="${path}"]`) });
    await operation.locator('.opblock-summary-control').click();
    await operation.getByRole('button', { name: 'Try it out' }).click();
    await fill(operation);
    await operation.getByRole('button', { name: 'Execute' }).click();
    const status = await operation.locator('.live-responses-table tbody .response-col_status').first().innerText();
    await operation.locator('.live-responses-table').evaluate((table) => table.scrollIntoView({ block: 'center' }));
    return status.trim().split(/\s/)[0];
  }

  await page.goto(`${base}/docs`);
  const created = await tryPost('/api/topics',
    (operation) => operation.locator('textarea').fill(JSON.stringify({ name: topic, partitions: 1 })));
  const produced = await tryPost('/api/topics/{topic}/records',
    (operation) => operation.locator('tr[data-param-name="topic"] input').fill(topic));
  await page.screenshot({ path: screenshot });
  console.log(JSON.stringify({ created, produced, problems, requests }));
} finally {
  await browser.close();
}
