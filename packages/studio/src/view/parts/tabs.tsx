import type { ComponentChildren } from 'preact';
import './parts.css';

export interface TabsProps<T extends string> {
  /** What is chosen among, read aloud. */
  readonly label: string;
  readonly tabs: readonly { readonly id: T; readonly label: ComponentChildren }[];
  readonly chosen: T;
  readonly onChoose: (id: T) => void;
}

/** One of several views: arrows, Home and End move, and choose at once. */
export function Tabs<T extends string>({ label, tabs, chosen, onChoose }: TabsProps<T>) {
  const onKeyDown = (event: KeyboardEvent) => {
    const at = tabs.findIndex(({ id }) => id === chosen);
    const moves: Readonly<Record<string, number>> = {
      ArrowRight: at + 1,
      ArrowLeft: at - 1,
      Home: 0,
      End: -1,
    };
    const to = moves[event.key];
    const next = to === undefined ? undefined : tabs.at(to % tabs.length);
    if (!next || !(event.currentTarget instanceof HTMLElement)) return;
    event.preventDefault();
    event.stopPropagation(); // arrows step through the run elsewhere
    onChoose(next.id);
    event.currentTarget.querySelectorAll<HTMLElement>('[role=tab]')[tabs.indexOf(next)]?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label={label} onKeyDown={onKeyDown}>
      {tabs.map((tab) => (
        <button
          key={tab.id}
          type="button"
          role="tab"
          aria-selected={tab.id === chosen}
          tabIndex={tab.id === chosen ? 0 : -1}
          onClick={() => onChoose(tab.id)}
        >
          {tab.label}
        </button>
      ))}
    </div>
  );
}
