import { render } from 'preact';
import { App } from './app.js';
import { acceptDrops } from './own/drops.js';
import { takeGiven } from './own/given.js';
import { followAddress } from './studio.js';
import '../style/style.css';

/** Draws the page. */
export function page(): void {
  const openGiven = takeGiven();
  followAddress();
  openGiven();
  acceptDrops();
  render(<App />, document.body);
}
