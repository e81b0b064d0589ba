import { Floating, type FloatingProps } from './floating.js';
import { moveFocus } from './move-focus.js';

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
