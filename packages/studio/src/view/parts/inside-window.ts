/** Puts a fixed element at a place in the window, or as near to it as keeps all of it inside. */
export function insideWindow(element: HTMLElement, x: number, y: number): void {
  const { width, height } = element.getBoundingClientRect();
  const margin = 8;
  const within = (wanted: number, size: number, room: number) =>
    Math.max(margin, Math.min(wanted, room - size - margin));
  element.style.left = `${within(x, width, innerWidth)}px`;
  element.style.top = `${within(y, height, innerHeight)}px`;
}
