/** What floats above the page: a menu, a popover. */
import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { say } from '../../texts/say.js';
import { attempt } from '../studio.js';
import { Button, type ButtonProps } from './controls.js';
import { download, moveFocus, useSize } from './dom.js';

export interface FloatingProps {
  /** Where its corner is, in pixels from the window's. */
  readonly at: () => { readonly x: number; readonly y: number };
  readonly role: 'dialog' | 'menu';
  readonly label?: string | undefined;
  readonly class: string;
  /** What belongs to it, such as the button that opens it; default: only itself. */
  readonly around?: RefObject<HTMLElement | null>;
  readonly onClose: () => void;
  readonly onKeyDown?: (event: KeyboardEvent) => void;
  readonly children: ComponentChildren;
}

/** What takes the focus first. */
const first = {
  dialog: 'input, select, textarea, button:enabled, a[href]',
  menu: '[role=menuitem][aria-disabled=false]',
};

/**
 * Something at a place over the page, as near to it as keeps all of it inside the window. It takes
 * the focus, and gives it back when it closes: by Escape, by a click elsewhere, or from inside.
 */
export function Floating(props: FloatingProps) {
  const box = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  latest.current = props;
  useSize(box, (element) => {
    const { x, y } = latest.current.at();
    const { width, height } = element.getBoundingClientRect();
    const { currentCSSZoom: zoom = 1 } = element; // on a wall, and where pixels are small
    element.style.left = `${within(x, width, innerWidth) / zoom}px`;
    element.style.top = `${within(y, height, innerHeight) / zoom}px`;
  });
  useEffect(() => {
    const before = document.activeElement;
    (box.current?.querySelector<HTMLElement>(first[props.role]) ?? box.current)?.focus();
    const onPress = ({ target }: Event) => {
      const { around = box, onClose } = latest.current;
      if (target instanceof Node && !around.current?.contains(target)) onClose();
    };
    addEventListener('pointerdown', onPress, true);
    return () => {
      removeEventListener('pointerdown', onPress, true);
      const { activeElement } = document;
      const isLost = !activeElement || activeElement === document.body;
      if (isLost || box.current?.contains(activeElement))
        focusable(before, latest.current)?.focus();
    };
  }, []);
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation(); // the keys of the page do not act in here
    if (event.key === 'Escape') props.onClose();
    props.onKeyDown?.(event);
  };
  return (
    <div
      {...{ role: props.role, 'aria-label': props.label, onKeyDown }}
      ref={box}
      class={`floating card ${props.class}`}
      tabIndex={-1}
    >
      {props.children}
    </div>
  );
}

/** What gets the focus back: some browsers give a button none by a click. */
const focusable = (before: Element | null, { around }: FloatingProps) =>
  before === document.body
    ? around?.current?.querySelector('button')
    : (before as HTMLElement | null); // it had the focus

const margin = 8;

const within = (at: number, size: number, room: number): number =>
  Math.max(margin, Math.min(at, room - size - margin));

export interface MenuItem {
  readonly label: string;
  readonly hint?: string | undefined;
  /** Why it cannot be chosen: it stays visible, with the reason. */
  readonly disabled?: string | undefined;
  readonly run: () => void;
}

export interface MenuProps extends Pick<FloatingProps, 'label' | 'onClose'> {
  readonly at: ReturnType<FloatingProps['at']>;
  readonly items: readonly MenuItem[];
}

/** A menu at a place. It closes by a choice, Escape, Tab or a click elsewhere. */
export function Menu({ at, label, items, onClose }: MenuProps) {
  const onKeyDown = (event: KeyboardEvent) => {
    moveFocus(event, '[role=menuitem]', ['ArrowUp', 'ArrowDown']);
    if (event.key === 'Tab') onClose();
    if (event.key === 'Tab' || event.key === 'Escape') event.preventDefault();
  };
  return (
    <Floating at={() => at} role="menu" class="menu" {...{ label, onClose, onKeyDown }}>
      {items.map(({ label, hint, disabled, run }) => (
        <button
          key={label}
          type="button"
          class="bare"
          role="menuitem"
          tabIndex={-1}
          aria-disabled={disabled !== undefined}
          onClick={() => {
            if (disabled !== undefined) return;
            onClose();
            run();
          }}
        >
          <span>{label}</span>
          {(disabled ?? hint) !== undefined && <small>{disabled ?? hint}</small>}
        </button>
      ))}
    </Floating>
  );
}

interface PopoverProps {
  readonly label: string;
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

interface SaveChoiceProps {
  readonly title: string;
  readonly disabled?: boolean;
  readonly files: readonly {
    readonly label: string;
    readonly title: string;
    readonly name: string;
    readonly text: () => string;
    readonly type?: string;
  }[];
}

/** Saves one of several files. */
export const SaveChoice = ({ title, disabled, files }: SaveChoiceProps) => (
  <Popover kind="quiet" label={say('Save')} title={title}>
    {(close) => (
      <div class="stack">
        {files.map(({ label, title, name, text, type }) => (
          <Button
            key={name}
            title={title}
            disabled={disabled}
            onClick={() => {
              close();
              void attempt(() => download(name, text(), type));
            }}
          >
            {label}
          </Button>
        ))}
      </div>
    )}
  </Popover>
);
