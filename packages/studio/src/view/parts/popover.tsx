import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Button, type ButtonProps } from './button.js';
import { insideWindow } from './inside-window.js';
import './parts.css';

export interface PopoverProps {
  /** What the button says. */
  readonly label: ComponentChildren;
  /** What it opens, read aloud; and the title of a button without words. */
  readonly title: string;
  readonly kind?: ButtonProps['kind'] | undefined;
  readonly children: ComponentChildren | ((close: () => void) => ComponentChildren);
}

/**
 * A button, and what it opens below it. Escape and a click elsewhere close it; the focus returns to
 * the button.
 */
export function Popover({ label, title, kind = 'plain', children }: PopoverProps) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLSpanElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const close = () => {
    setOpen(false);
    root.current?.querySelector('button')?.focus();
  };

  useLayoutEffect(() => {
    const { current } = box;
    const anchor = root.current?.getBoundingClientRect();
    if (!open || !current || !anchor) return;
    const place = () => insideWindow(current, anchor.left, anchor.bottom + 4);
    place();
    const observer = new ResizeObserver(place); // its content may come later
    observer.observe(current);
    return () => observer.disconnect();
  }, [open]);
  useEffect(() => {
    if (!open) return;
    const first = box.current?.querySelector<HTMLElement>(
      'input, select, textarea, button, a[href]',
    );
    (first ?? box.current)?.focus();
    const outside = (event: Event) => {
      if (event.target instanceof Node && !root.current?.contains(event.target)) setOpen(false);
    };
    addEventListener('pointerdown', outside, true);
    return () => removeEventListener('pointerdown', outside, true);
  }, [open]);

  return (
    <span ref={root} class="popover-root">
      <Button kind={kind} title={title} expanded={open} onClick={() => setOpen(!open)}>
        {label}
      </Button>
      {open && (
        <div
          ref={box}
          class="popover"
          role="dialog"
          aria-label={title}
          tabIndex={-1}
          onKeyDown={(event) => {
            event.stopPropagation(); // the keys of the page do not act in here
            if (event.key === 'Escape') close();
          }}
        >
          {typeof children === 'function' ? children(close) : children}
        </div>
      )}
    </span>
  );
}
