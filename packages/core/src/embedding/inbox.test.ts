import { expect, it } from 'vitest';
import { Inbox } from './inbox.js';

it('holds items until the first subscriber, then passes them on', () => {
  const inbox = new Inbox<number>();
  inbox.put(1);
  inbox.put(2);
  const received: unknown[] = [];
  inbox.items$.subscribe({
    next: (item) => {
      received.push(item);
      if (item === 1) inbox.put(3); // while it hands over
    },
    complete: () => received.push('the end'),
  });
  inbox.put(4);
  inbox.close();
  expect(received).toEqual([1, 2, 3, 4, 'the end']);
});
