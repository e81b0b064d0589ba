import type { Port } from './job.js';
import { work } from './tasks.js';

/** A worker of this process: what it is sent and what it tells is cloned, as between threads. */
export class NearWorker implements Port {
  onmessage: Port['onmessage'] = null;
  onerror: Port['onerror'] = null;
  onmessageerror: Port['onmessageerror'] = null;
  terminated = 0;
  readonly scope: Parameters<typeof work>[0] = {
    onmessage: null,
    postMessage: (told) => {
      const data: unknown = structuredClone(told);
      queueMicrotask(() => this.terminated === 0 && this.onmessage?.({ data } as MessageEvent));
    },
  };

  constructor() {
    work(this.scope);
  }

  postMessage(asked: Parameters<Port['postMessage']>[0]): void {
    const event = { data: structuredClone(asked) } as Parameters<
      NonNullable<NonNullable<typeof this.scope>['onmessage']>
    >[0];
    queueMicrotask(() => this.scope?.onmessage?.(event));
  }

  terminate(): void {
    this.terminated++;
  }
}
