import { readFileSync } from 'node:fs';

/** The version of this package. */
export const version = versionIn(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

function versionIn(packageJson: string): string {
  const { version }: { version?: unknown } = JSON.parse(packageJson);
  return String(version);
}
