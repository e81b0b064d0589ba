import { signal } from '@preact/signals';
import { say } from '../../texts/say.js';
import { attempt } from '../studio.js';
import { receive } from './receive.js';

/** Whether something is dragged over the page that it could take. */
export const dragged = signal(false);

/** Takes files and texts that are dropped anywhere on the page. */
export function acceptDrops(): void {
  const canTake = ({ dataTransfer }: DragEvent) =>
    dataTransfer?.types.some((type) => type === 'Files' || type === 'text/plain') === true;
  addEventListener('dragover', (event) => {
    if (!canTake(event) || isField(event.target)) return;
    event.preventDefault();
    dragged.value = true;
  });
  addEventListener('dragleave', ({ relatedTarget }) => {
    if (relatedTarget === null) dragged.value = false;
  });
  addEventListener('drop', (event) => {
    dragged.value = false;
    const { dataTransfer } = event;
    if (!dataTransfer || !canTake(event) || isField(event.target)) return;
    event.preventDefault();
    const [file] = dataTransfer.files;
    const text = dataTransfer.getData('text/plain');
    void attempt(async () =>
      file ? receive(await file.text(), file.name) : receive(text, say('What was dropped')),
    );
  });
}

const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest('input, textarea') !== null;
