import type { ComponentChildren } from 'preact';
import { assign } from './assign.js';
import { moveFocus } from './move-focus.js';

export interface TabsProps<T extends string> {
  /** What is chosen among, read aloud. */
  readonly label: string;
  readonly tabs: readonly { readonly id: T; readonly label: ComponentChildren }[];
  readonly chosen: { value: T };
}

/** One of several views: arrows, Home and End move, and choose at once. */
export const Tabs = <T extends string>({ label, tabs, chosen }: TabsProps<T>) => (
  <div
    class="tabs"
    role="tablist"
    aria-label={label}
    onKeyDown={(event) => moveFocus(event, '[role=tab]', ['ArrowLeft', 'ArrowRight'])?.click()}
  >
    {tabs.map((tab) => (
      <button
        key={tab.id}
        type="button"
        role="tab"
        aria-selected={tab.id === chosen.value}
        tabIndex={tab.id === chosen.value ? 0 : -1}
        onClick={assign(chosen, tab.id)}
      >
        {tab.label}
      </button>
    ))}
  </div>
);
