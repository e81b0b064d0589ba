import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Button, type ButtonProps } from '../parts/button.js';
import { Icon } from '../parts/icon.js';

export interface CopyProps {
  readonly text: () => string;
  readonly title: string;
  readonly kind?: ButtonProps['kind'] | undefined;
  readonly icon?: 'copy' | 'link' | undefined;
  readonly children?: ComponentChildren | undefined;
}

/** A button that copies a text, and says that it did. */
export function Copy({ text, title, kind, icon = 'copy', children }: CopyProps) {
  const [outcome, setOutcome] = useState<'copied' | 'refused' | undefined>(undefined);
  useEffect(() => {
    if (!outcome) return;
    const timer = setTimeout(() => setOutcome(undefined), 2000);
    return () => clearTimeout(timer);
  }, [outcome]);
  const words = { copied: 'Copied', refused: 'The browser refused' };
  return (
    <>
      <Button
        kind={kind}
        title={title}
        onClick={async () => setOutcome((await copied(text())) ? 'copied' : 'refused')}
      >
        <Icon name={outcome === 'copied' ? 'check' : icon} />
        {children !== undefined && <span>{outcome ? words[outcome] : children}</span>}
      </Button>
      <span class="unseen" role="status">
        {outcome && words[outcome]}
      </span>
    </>
  );
}

/** Whether the text is in the clipboard now. */
async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copiedBySelection(text); // older browsers give a page from disk no clipboard
  }
}

function copiedBySelection(text: string): boolean {
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'unseen';
  document.body.append(area);
  area.select();
  const done = document.execCommand('copy');
  area.remove();
  return done;
}
