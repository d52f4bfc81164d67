// Checks of reports in Chromium, one run directory an argument; screenshots for people to look at.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const here = dirname(fileURLToPath(import.meta.url));
const shots = process.env.SCREENSHOTS || join(here, "screenshots");
const args = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"];
const quiet = ["--disable-background-networking", "--disable-component-update", "--disable-sync"];
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
  args: [...args, ...quiet],
});

// A page on a report that fails on any console message of warning or worse and on any request but the file itself.
async function open(directory, options) {
  const url = pathToFileURL(join(resolve(directory), "report.html")).href;
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const faults = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) faults.push(message.text());
  });
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("request", (request) => {
    if (request.url() !== url && !request.url().startsWith("data:")) faults.push(request.url());
  });
  page.on("dialog", (dialog) => faults.push(`dialog ${dialog.message()}`));
  await page.goto(url);
  const close = async () => {
    assert.deepEqual(faults, [], `${directory}: console or network`);
    await context.close();
  };
  return { page, close };
}

const background = (page) =>
  page.evaluate(() => getComputedStyle(document.body).backgroundColor);
const LIGHT = "rgb(244, 246, 248)";
const DARK = "rgb(15, 18, 22)";
const overflow = (page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

async function check(directory) {
  const name = basename(resolve(directory));
  const shot = (page, kind, fullPage = true) =>
    page.screenshot({ path: join(shots, `${name}-${kind}.png`), fullPage });

  // Light by default, then the switch.
  let { page, close } = await open(directory, { viewport: { width: 1200, height: 900 }, colorScheme: "light" });
  assert.equal(await background(page), LIGHT);
  assert.ok((await page.locator("h1").innerText()).startsWith("Fit of"));
  assert.equal(await overflow(page), 0, `${name}: wide page overflows`);
  await shot(page, "light");
  const empty = await page.evaluate(() =>
    [...document.querySelectorAll(".panels svg")].filter((svg) => svg.getBBox().width < 50).length);
  assert.equal(empty, 0, `${name}: empty pictures`);
  await page.click("#theme");
  assert.equal(await background(page), DARK);
  const mark = await page.evaluate(() => getComputedStyle(document.querySelector("svg text")).fill);
  assert.ok(["rgb(231, 234, 238)", "rgb(163, 173, 184)"].includes(mark), `dark text is ${mark}`);
  await page.click("#theme");
  assert.equal(await background(page), LIGHT);

  // Tooltips: by pointer, by keyboard.
  const tooltip = page.locator("#tooltip");
  assert.ok(await tooltip.isHidden());
  const candidates = page.locator("#candidates svg .tip");
  if (await candidates.count()) {
    await candidates.last().hover();
    const text = await tooltip.innerText();
    assert.match(text, /restart \d+/);
    assert.match(text, /(interior local maximum|boundary|stationary|saddle|not converged), solution \d+/);
    assert.match(text, /residual/);
    await shot(page, "tooltip", false);
    await page.locator("h1").hover();
    assert.ok(await tooltip.isHidden());
    await candidates.first().focus();
    assert.ok(await tooltip.isVisible());
    await page.keyboard.press("ArrowRight");
    assert.match(await tooltip.innerText(), /restart \d+/);
    await page.keyboard.press("Escape");
    assert.ok(await tooltip.isHidden());
  }
  // A cell of a heat map; the middle of a curve's box is not on the curve.
  await page.locator("#machine svg rect.tip").first().hover();
  assert.match(await tooltip.innerText(), / – /);
  await close();

  // Dark by the system's wish.
  ({ page, close } = await open(directory, { viewport: { width: 1200, height: 900 }, colorScheme: "dark" }));
  assert.equal(await background(page), DARK);
  await shot(page, "dark");
  await page.click("#theme");
  assert.equal(await background(page), LIGHT);
  await close();

  // A phone: no sideways scrolling of the page; a tap shows the tooltip within the screen.
  ({ page, close } = await open(directory, {
    viewport: { width: 360, height: 740 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true, colorScheme: "light",
  }));
  assert.equal(await overflow(page), 0, `${name}: the phone page overflows`);
  await shot(page, "phone");
  const first = page.locator("svg .tip").first();
  await first.scrollIntoViewIfNeeded();
  await first.dispatchEvent("click");
  const place = await page.locator("#tooltip").boundingBox();
  assert.ok(place && place.x >= 0 && place.x + place.width <= 360, `${name}: the tooltip leaves the screen`);
  await close();

  // Paper.
  ({ page, close } = await open(directory, { colorScheme: "dark" }));
  const pdf = await page.pdf({ path: join(shots, `${name}.pdf`), format: "A4", printBackground: true });
  assert.ok(pdf.length > 10_000 && pdf.subarray(0, 5).toString() === "%PDF-");
  await page.emulateMedia({ media: "print" });
  assert.equal(await background(page), "rgb(255, 255, 255)");
  await close();
  console.log(`${name}: fine`);
}

try {
  for (const directory of process.argv.slice(2)) {
    assert.ok(existsSync(join(directory, "report.html")), `${directory} has no report.html`);
    await check(directory);
  }
} finally {
  await browser.close();
}
