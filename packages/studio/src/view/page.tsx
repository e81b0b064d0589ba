import { say } from '../texts/say.js';
import '../style/style.css';
import './parts/parts.css';
import { ConclaveError } from '@conclave/core/protocol';
import { effect } from '@preact/signals';
import { type ComponentChildren, render } from 'preact';
import type { Link } from '../link/link.js';
import { followAddress } from './address.js';
import { Catalogue } from './catalogue/catalogue.js';
import { takeUpCharts } from './catalogue/data.js';
import { Specification } from './catalogue/specification.js';
import { Check } from './check/check.js';
import { Alert, Header } from './frame/header.js';
import { followTheme } from './frame/theme.js';
import { followLanguage, language } from './language.js';
import { Dropping, Own } from './own/own.js';
import { acceptDrops, takeGiven } from './own/receive.js';
import {
  draft,
  frame,
  loading,
  nextFrame,
  problem,
  type SessionProps,
  session,
  view,
} from './studio.js';
import './frame/frame.css';
import { World } from './frame/world.js';
import { Paths } from './paths/paths.js';
import { Playground } from './playground/playground.js';
import { Presented } from './present/present.js';

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

export const App = () => (
  <>
    {!isFramed() && <Header />}
    <Alert />
    <Content />
    <p class="loading" role="status">
      {loading.value !== undefined && say('Opening {protocol} …', { protocol: loading.value })}
    </p>
  </>
);

/** Whether only a part of the world is shown. */
const isFramed = (): boolean =>
  session.value !== undefined && view.value === 'world' && frame.value.as !== undefined;

const pages: Readonly<Record<Link['view'], (props: SessionProps) => ComponentChildren>> = {
  world: World,
  specification: Specification,
  check: Check,
  paths: Paths,
};

function Content() {
  const { value: shown } = session;
  const Page = pages[view.value];
  if (shown && isFramed()) return <Presented key={shown.id} session={shown} />;
  if (draft.value) return <Playground />;
  // the views of a world hold on to signals of one session
  if (shown && Page === World) return <World key={shown.id} session={shown} />;
  return (
    <main key={language.value} class="page">
      {shown && <Page session={shown} />}
      {!shown && loading.value === undefined && (
        <>
          <Catalogue />
          <Own />
        </>
      )}
    </main>
  );
}
