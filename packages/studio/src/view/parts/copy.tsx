import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { say } from '../../texts/say.js';
import { Button, type ButtonProps } from './button.js';

export interface CopyProps extends Pick<ButtonProps, 'kind' | 'icon'> {
  readonly text: () => string;
  readonly title: string;
  readonly children: ComponentChildren;
}

const words = { copied: 'Copied', refused: 'The browser refused' } as const;

/** A button that copies a text, and says that it did. */
export function Copy({ text, icon, children, ...button }: CopyProps) {
  const [outcome, setOutcome] = useState<keyof typeof words | undefined>(undefined);
  useEffect(() => {
    if (!outcome) return;
    const timer = setTimeout(() => setOutcome(undefined), 2000);
    return () => clearTimeout(timer);
  }, [outcome]);
  return (
    <>
      <Button
        {...button}
        icon={outcome === 'copied' ? 'check' : icon}
        onClick={async () => setOutcome((await copy(text())) ? 'copied' : 'refused')}
      >
        <span>{outcome ? say(words[outcome]) : children}</span>
      </Button>
      <span class="unseen" role="status">
        {outcome && say(words[outcome])}
      </span>
    </>
  );
}

/** Puts a text into the clipboard; false where the browser refuses. */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text); // older browsers give a page from disk no clipboard
  }
}

function copyBySelection(text: string): boolean {
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'unseen';
  document.body.append(area);
  area.select();
  const isDone = document.execCommand('copy');
  area.remove();
  return isDone;
}
