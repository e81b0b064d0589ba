import { signal } from '@preact/signals';

const query = '(max-width: 1023px), (max-height: 599px)';

/**
 * Whether the window is too small for all views at once, such as a phone held sideways: then tabs
 * choose among them.
 */
export const compact = signal(matchMedia(query).matches);

matchMedia(query).addEventListener('change', ({ matches }) => {
  compact.value = matches;
});
