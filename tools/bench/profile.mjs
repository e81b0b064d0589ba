/**
 * `node tools/bench/profile.mjs [TOOL …]`: where one of five processes spends its time while it
 * enters alone, in percent: the ten functions that take most themselves. TOOL is a name of
 * locks/list.mjs. Default: the locks by leases.
 */
import { locks } from './locks/list.mjs';
import { startServers } from './locks/servers.mjs';
import { profileOf } from './parts/lock.mjs';

const tools = process.argv.slice(2);
const chosen = locks.filter(({ tool }) =>
  tools.length > 0 ? tools.includes(tool) : tool.startsWith('leasedMajority'),
);
const names = [...new Set(chosen.flatMap((lock) => lock.servers))];
const servers = await startServers(names, (_name, error) => console.error(error.message));
for (const lock of chosen) {
  const shares = await profileOf({ ...lock, urls: servers.urls }, 2);
  const list = shares.slice(0, 10).map(([name, share]) => `${name} ${(100 * share).toFixed(1)}`);
  console.log(`| ${lock.tool} | ${list.join(', ')} |`);
}
await servers.close();
