#!/usr/bin/env node
const [major, minor] = process.versions.node.split('.').map(Number);
if (major > 20 || (major === 20 && minor >= 19)) await import('../dist/main.js');
else {
  console.error(
    `error: conclave needs Node.js 20.19 or later, and this is ${process.versions.node}.`,
  );
  process.exitCode = 2;
}
