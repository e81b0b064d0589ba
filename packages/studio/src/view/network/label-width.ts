let context: CanvasRenderingContext2D | null | undefined;

/** How wide the name or the state of a node is at most, in pixels, in the font of this page. */
export function labelWidth(text: string): number {
  if (context === undefined) {
    context = document.createElement('canvas').getContext('2d');
    if (context) context.font = `600 11px ${getComputedStyle(document.body).fontFamily}`;
  }
  return context?.measureText(text).width ?? 0;
}
