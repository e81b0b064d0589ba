import { rowSize, titleSize, widthOf } from '../../chart/text-size.js';

/**
 * Makes texts smaller that take more room in the page's font than the layout has for them: it was
 * made with the widths of another one. Firefox ignores `textLength` of a part of a text.
 */
export function fitTexts(drawing: Element): void {
  const texts = [...drawing.querySelectorAll<SVGTextContentElement>('tspan, .title, .tags')];
  const wide = texts.flatMap((text) => {
    const room = roomFor(text);
    const taken = text.getComputedTextLength();
    const size = Number.parseFloat(getComputedStyle(text).fontSize);
    return taken > room ? [{ text, size: (size * room * 0.99) / taken }] : [];
  });
  for (const { text, size } of wide) text.style.fontSize = `${size}px`;
}

/** What the layout has for a text; never more than its box. */
function roomFor(text: Element): number {
  const isTitle = text.classList.contains('title');
  const room = widthOf(text.textContent ?? '', isTitle ? titleSize : rowSize, isTitle);
  const frame = text.closest('.state:not(.history)')?.querySelector('rect.frame');
  if (!frame) return room;
  const of = (part: Element, name: string) => Number(part.getAttribute(name));
  return Math.min(room, of(frame, 'x') + of(frame, 'width') - of(text, 'x') - 4);
}
