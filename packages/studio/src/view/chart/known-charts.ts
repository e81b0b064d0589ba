import { addLayouts } from '../../chart/known-layouts.js';

/** Takes up the layouts of the catalogue's statecharts that the page brings along. */
export function takeUpCharts(): void {
  const text = document.getElementById('charts')?.textContent;
  if (text) addLayouts(JSON.parse(text));
}
