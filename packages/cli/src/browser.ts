import { spawn } from 'node:child_process';

/** What opens a file or address in the user's browser, by platform. */
const openers: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', '""'],
};

/**
 * How long an opener may take to say that it fails, in milliseconds. One that runs the browser
 * itself goes on.
 */
const usualTimeout = 2000;

/** Opens `url` in the user's browser; false where none could be started. */
export function openInBrowser(
  url: string,
  [command = '', ...args] = openers[process.platform] ?? ['xdg-open'],
  timeout = usualTimeout,
): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(command, [...args, url], { detached: true, stdio: 'ignore' });
    const timer = setTimeout(() => resolve(true), timeout);
    const end = (opened: boolean) => {
      clearTimeout(timer);
      resolve(opened);
    };
    child.on('error', () => end(false));
    child.on('exit', (code) => end(code === 0));
    child.unref();
  });
}
