import type { EventObject } from 'xstate';

/** What the machine reacts to: its start or restart, an event, or one of its own timers. */
export type Stimulus =
  | { readonly kind: 'start' | 'restart' }
  | { readonly kind: 'event'; readonly event: EventObject }
  | { readonly kind: 'timeout'; readonly timer: string };
