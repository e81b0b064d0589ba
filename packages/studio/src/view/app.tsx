import type { ComponentChildren } from 'preact';
import type { Link } from '../link/link.js';
import { say } from '../texts/say.js';
import { Catalogue } from './catalogue/catalogue.js';
import { Specification } from './catalogue/specification.js';
import { Check } from './check/check.js';
import { Alert } from './frame/alert.js';
import './frame/frame.css';
import { Header } from './frame/header.js';
import { World } from './frame/world.js';
import { language } from './language.js';
import { Own } from './own/own.js';
import { Paths } from './paths/paths.js';
import { Playground } from './playground/playground.js';
import { Presented } from './present/presented.js';
import { draft, frame, loading, type SessionProps, session, view } from './studio.js';

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
