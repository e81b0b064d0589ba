/** The page in a real browser, for tests. */
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, describe, it } from 'vitest';
import { chromiumPath, launchChromium, noChromium } from './chromium.js';

const missing = `The tests of the page cannot run. ${noChromium}`;

/**
 * Tests that need Chromium. Where it is missing they are skipped, with a test that says so; where
 * `CI` is set, that test fails.
 */
export function describeInChromium(name: string, tests: () => void): void {
  describe.skipIf(chromiumPath === undefined)(name, tests);
  if (chromiumPath !== undefined) return;
  it(`${name}: ${missing}`, (context) => {
    if (process.env.CI) throw new Error(missing);
    console.warn(`SKIPPED: ${name}. ${missing}`);
    context.skip(missing);
  });
}

let browser: Promise<Browser> | undefined;

/** The page that `npm run build` writes. */
export const builtPage = fileURLToPath(new URL('../../dist/studio.html', import.meta.url));
const pictures = fileURLToPath(new URL('../../../../reports/studio/', import.meta.url));

/** One open page, and what its console said. */
export interface Opened {
  readonly page: Page;
  /** Errors and warnings of the console, and errors that nothing caught. Each test expects none. */
  readonly complaints: readonly string[];
  /** Keeps a picture of the page below `reports/studio`. */
  readonly picture: (name: string) => Promise<void>;
}

/** Opens the page from the file system, at `hash`. */
export async function openPage(
  hash: string,
  {
    file = builtPage,
    theme = 'light',
    width = 1280,
    height = 800,
  }: { file?: string; theme?: 'light' | 'dark'; width?: number; height?: number } = {},
): Promise<Opened> {
  browser ??= launchChromium();
  const context = await (await browser).newContext({
    viewport: { width, height },
    colorScheme: theme,
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(300_000);
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(`file://${file}${hash === '' ? '' : `#${hash}`}`);
  const picture = async (name: string) => {
    mkdirSync(pictures, { recursive: true });
    await page.screenshot({ path: `${pictures}${name}.png` });
  };
  return { page, complaints, picture };
}

/** To be called in each file with browser tests. */
export function closeBrowser(): void {
  afterAll(async () => {
    await (await browser)?.close();
    browser = undefined;
  });
}
