import { say } from '../texts/say.js';
import '../style/style.css';
import './parts/parts.css';
import { ConclaveError } from '@conclave/core/protocol';
import { effect } from '@preact/signals';
import { render } from 'preact';
import { followAddress } from './address.js';
import { App } from './app.js';
import { takeUpCharts } from './catalogue/data.js';
import { followTheme } from './frame/theme.js';
import { followLanguage } from './language.js';
import { acceptDrops } from './own/drops.js';
import { takeGiven } from './own/given.js';
import { Dropping } from './own/own.js';
import { nextFrame, problem, session } from './studio.js';

/** Draws the page. */
export function page(): void {
  followTheme();
  followLanguage();
  const openGiven = takeGiven();
  takeUpCharts();
  followAddress();
  openGiven();
  acceptDrops();
  effect(() => {
    const title = session.value?.system.protocol.title;
    document.title = title === undefined ? say('Conclave studio') : `${title} · Conclave`;
  });
  effect(() => {
    session.value?.id; // another one: what had the focus is gone
    void nextFrame().then(focusHeading);
  });
  addEventListener('error', ({ error }) => show(error));
  addEventListener('unhandledrejection', ({ reason }) => show(reason));
  render(
    <>
      <App />
      <Dropping />
    </>,
    document.body,
  );
}

/** Where nothing has the focus, the heading does: so keys and screen readers go on from there. */
function focusHeading(): void {
  if (document.activeElement !== document.body) return;
  const heading = document.querySelector('h1');
  heading?.setAttribute('tabindex', '-1');
  heading?.focus({ preventScroll: true });
}

/** An error for the user that no view has shown. */
function show(error: unknown): void {
  if (error instanceof ConclaveError) problem.value = error;
}
