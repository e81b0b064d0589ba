import { frame } from '../studio.js';

/** Back to the whole studio; where it is a presentation. Says whether it was one. */
export function leave(): boolean {
  const { as, ...others } = frame.value;
  if (as !== 'presentation') return false;
  frame.value = others;
  if (document.fullscreenElement) void document.exitFullscreen();
  return true;
}
