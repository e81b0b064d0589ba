import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { insideWindow } from './inside-window.js';
import './parts.css';

export interface MenuItem {
  readonly label: string;
  readonly hint?: string | undefined;
  /** Why it cannot be chosen: it stays visible, with the reason. */
  readonly disabled?: string | undefined;
  readonly run: () => void;
}

export interface MenuProps {
  /** Where it opens, in pixels from the window's corner. */
  readonly at: { readonly x: number; readonly y: number };
  readonly label?: string | undefined;
  readonly items: readonly MenuItem[];
  readonly onClose: () => void;
}

/**
 * A menu at a place. It takes the focus, and gives it back when it closes: by a choice, Escape, Tab
 * or a click elsewhere.
 */
export function Menu({ at: { x, y }, label, items, onClose }: MenuProps) {
  const menu = useRef<HTMLDivElement>(null);
  const close = useRef(onClose);
  close.current = onClose;
  const entries = () => [...(menu.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])];

  useLayoutEffect(() => {
    if (menu.current) insideWindow(menu.current, x, y);
  });
  useEffect(() => {
    const before = document.activeElement;
    const enabled = entries().find((entry) => entry.getAttribute('aria-disabled') !== 'true');
    (enabled ?? menu.current)?.focus();
    const outside = (event: Event) => {
      if (event.target instanceof Node && !menu.current?.contains(event.target)) close.current();
    };
    addEventListener('pointerdown', outside, true);
    addEventListener('blur', outside);
    return () => {
      removeEventListener('pointerdown', outside, true);
      removeEventListener('blur', outside);
      const lost =
        document.activeElement === document.body ||
        menu.current?.contains(document.activeElement) ||
        !document.activeElement;
      if (
        lost &&
        (before instanceof HTMLElement || before instanceof SVGElement) &&
        before.isConnected
      )
        before.focus();
    };
  }, []);

  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation(); // the keys of the page do not act while a menu is open
    const all = entries();
    const at =
      document.activeElement instanceof HTMLElement ? all.indexOf(document.activeElement) : -1;
    const moves: Readonly<Record<string, number>> = {
      ArrowDown: at + 1,
      ArrowUp: at < 0 ? -1 : at - 1,
      Home: 0,
      End: -1,
    };
    const to = moves[event.key];
    if (to !== undefined) all.at(all.length > 0 ? to % all.length : 0)?.focus();
    else if (event.key === 'Escape' || event.key === 'Tab') onClose();
    else return;
    event.preventDefault();
  };

  return (
    <div ref={menu} class="menu" role="menu" aria-label={label} tabIndex={-1} onKeyDown={onKeyDown}>
      {items.map(({ label, hint, disabled, run }) => (
        <button
          key={label}
          type="button"
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
    </div>
  );
}
