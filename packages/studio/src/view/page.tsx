import { render } from 'preact';
import { App } from './app.js';
import { followAddress } from './studio.js';
import '../style/style.css';

/** Draws the page. */
export function page(): void {
  followAddress();
  render(<App />, document.body);
}
