/** The page in real browsers, for tests. */
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, describe, it } from 'vitest';
import { chromiumPath, launchChromium, noChromium } from './chromium.js';
import { firefoxPath, launchFirefox, noFirefox } from './firefox.contract.js';

interface Engine {
  readonly name: string;
  readonly path: string | undefined;
  readonly missing: string;
  readonly launch: () => Promise<Browser>;
}

const chromium: Engine = {
  ...{ name: 'Chromium', path: chromiumPath, missing: noChromium, launch: launchChromium },
};
const firefox: Engine = {
  ...{ name: 'Firefox', path: firefoxPath, missing: noFirefox, launch: launchFirefox },
};

/** `npm run verify -- --part firefox` sets it. */
const engine = process.env.CONCLAVE_BROWSER === 'firefox' ? firefox : chromium;

/**
 * Tests in Chromium, or in Firefox unless `inFirefox` is false. Where the browser is missing they
 * are skipped, with a test that says so; where `CI` is set, that test fails.
 */
export function describeInBrowser(name: string, tests: () => void, inFirefox = true): void {
  if (engine === firefox && !inFirefox) return;
  const missing = `The tests of the page cannot run. ${engine.missing}`;
  describe.skipIf(engine.path === undefined)(`${name}, in ${engine.name}`, tests);
  if (engine.path !== undefined) return;
  it(`${name}: ${missing}`, (context) => {
    if (process.env.CI) throw new Error(missing);
    console.warn(`SKIPPED: ${name}. ${missing}`);
    context.skip(missing);
  });
}

let browser: Promise<Browser> | undefined;

/** What the driver of Firefox puts before a text that it pastes; nothing in Chromium. */
export const pastedBefore = engine === firefox ? '\n' : '';

/** The page that `npm run build` writes. */
export const builtPage = fileURLToPath(new URL('../../dist/studio.html', import.meta.url));
const pictures = fileURLToPath(new URL('../../../../reports/studio/', import.meta.url));

/** One open page, and what its console said. */
export interface Opened {
  readonly page: Page;
  /** Errors and warnings of the console, and errors that nothing caught. Each test expects none. */
  readonly complaints: readonly string[];
  /** Keeps a picture of the page below `reports/studio`; in Firefox, none. */
  readonly picture: (name: string) => Promise<void>;
}

/** Opens the page at `hash`: from the file system, unless an address is given. */
export async function openPage(
  hash: string,
  {
    file = builtPage,
    url = `file://${file}`,
    theme = 'light',
    width = 1280,
    height = 800,
    locale = 'en-US',
  }: {
    file?: string;
    url?: string;
    theme?: 'light' | 'dark';
    width?: number;
    height?: number;
    locale?: string;
  } = {},
): Promise<Opened> {
  browser ??= engine.launch();
  const context = await (await browser).newContext({
    viewport: { width, height },
    locale,
    colorScheme: theme,
    reducedMotion: 'reduce',
  });
  if (engine === chromium) await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  context.setDefaultTimeout(300_000);
  const page = await context.newPage();
  page.setDefaultTimeout(120_000); // a slow machine is no fault
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(`${url}${hash === '' ? '' : `#${hash}`}`);
  const picture = async (name: string) => {
    if (engine !== chromium) return;
    mkdirSync(pictures, { recursive: true });
    await page.screenshot({ path: `${pictures}${name}.png` });
  };
  return { page, complaints, picture };
}

/**
 * One page for several tests, each of which shows in it what it looks at: to load the page takes
 * longer than most of them. What a reader has chosen there, such as a panel, stays.
 */
export function sharedPage(): (hash: string) => Promise<Opened> {
  let opened: Promise<Opened> | undefined;
  return async (hash) => {
    if (!opened) {
      opened = openPage(hash);
      return opened;
    }
    const { page } = await opened;
    const go = (to: string) =>
      page.evaluate((hash) => {
        location.hash = hash;
      }, to);
    await go('/'); // nothing of the session before is left
    await page.locator('#catalogue-title').waitFor();
    if (hash === '') return opened;
    await go(hash);
    await page.waitForFunction(
      () => !document.getElementById('catalogue-title') || document.querySelector('[role=alert]'),
    );
    return opened;
  };
}

/** The texts of all that is found. What Playwright offers ends Firefox 153 where it looks for roles. */
export const textsOf = async (found: Locator): Promise<readonly string[]> =>
  Promise.all((await found.all()).map(async (one) => (await one.textContent()) ?? ''));

/** In pixels of the screen, as drawn: the sizes of the fonts, whichever the machine has. */
export const fontSizes = (found: Locator): Promise<readonly number[]> =>
  found.evaluateAll(
    (all, isFirefox) =>
      all.map((one) => {
        const size = Number.parseFloat(getComputedStyle(one).fontSize);
        if (!(one instanceof SVGGraphicsElement)) return size * one.currentCSSZoom;
        // Firefox leaves the zoom of CSS out of the matrix
        return size * (one.getScreenCTM()?.d ?? 0) * (isFirefox ? one.currentCSSZoom : 1);
      }),
    engine === firefox,
  );

/** To be called in each file with browser tests. */
export function closeBrowser(): void {
  afterAll(async () => {
    await (await browser)?.close();
    browser = undefined;
  });
}
