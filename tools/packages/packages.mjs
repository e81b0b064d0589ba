/** The folders of all packages, such as `packages/core`, relative to the root. */
import { readdirSync } from 'node:fs';

const within = (folder) =>
  readdirSync(new URL(`../../${folder}/`, import.meta.url)).map((name) => `${folder}/${name}`);

export const packageFolders = [
  ...within('packages').filter((folder) => folder !== 'packages/transports'),
  ...within('packages/transports'),
];
