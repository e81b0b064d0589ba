import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { Button, type ButtonProps } from './button.js';
import { Floating } from './floating.js';

export interface PopoverProps {
  /** What the button says. */
  readonly label: string;
  /** What it opens, read aloud. */
  readonly title: string;
  readonly kind?: ButtonProps['kind'] | undefined;
  readonly children: (close: () => void) => ComponentChildren;
}

/** A button, and what it opens below it. */
export function Popover({ label, title, kind, children }: PopoverProps) {
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLSpanElement>(null);
  const close = () => setOpen(false);
  const below = () => {
    const { left = 0, bottom = 0 } = root.current?.getBoundingClientRect() ?? {};
    return { x: left, y: bottom + 4 };
  };
  return (
    <span ref={root}>
      <Button kind={kind} title={title} expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {label}
      </Button>
      {isOpen && (
        <Floating
          at={below}
          role="dialog"
          class="popover"
          label={title}
          around={root}
          onClose={close}
        >
          {children(close)}
        </Floating>
      )}
    </span>
  );
}
