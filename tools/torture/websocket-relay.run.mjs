/** The relay of the medium `websocket`, on the port that is its argument. */
import { relay } from '@conclave/transport-websocket/relay';

await relay({ port: Number(process.argv[2]) });
