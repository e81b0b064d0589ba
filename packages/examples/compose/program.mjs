/** What voters and clients have in common. */
import { createServer } from 'node:http';
import { prometheusText } from '@conclave/coordination/prometheus';

/** A line for each error, and the end of a program that cannot go on. */
export const report = ({ code, message }) => console.error(JSON.stringify({ code, message }));

process.on('uncaughtException', (error) => {
  report(error);
  process.exit(error.code === 'refused' ? 2 : 1); // 2: to start it again does not help
});

export const stopped = new Promise((resolve) => process.once('SIGTERM', resolve));

/** `/health` for probes, and `/metrics` for Prometheus. */
export const serveHealth = (lock) =>
  createServer(({ url }, response) => {
    const { health } = lock;
    if (url === '/metrics') return response.end(prometheusText([lock]));
    const isDead = health.state === 'refused' || health.state === 'closed';
    response.statusCode = isDead ? 503 : 200;
    response.end(JSON.stringify(health));
  }).listen(Number(process.env.WEB));
