import type { ComponentChildren } from 'preact';
import type { Link } from '../link/link.js';
import type { Session } from '../model/session.js';
import { Catalogue } from './catalogue/catalogue.js';
import { Specification } from './catalogue/specification.js';
import { Check } from './check/check.js';
import { Alert } from './frame/alert.js';
import './frame/frame.css';
import { Header } from './frame/header.js';
import { World } from './frame/world.js';
import { Own } from './own/own.js';
import { Paths } from './paths/paths.js';
import { loading, session, view } from './studio.js';

export function App() {
  return (
    <>
      <Header />
      <Alert />
      <Content />
      <p class="loading" role="status">
        {loading.value !== undefined && `Opening ${loading.value} …`}
      </p>
    </>
  );
}

function Content() {
  const shown = session.value;
  if (shown) return pages[view.value](shown);
  if (loading.value !== undefined) return <main class="page" />;
  return (
    <main class="page">
      <Catalogue />
      <Own />
    </main>
  );
}

const pages: Readonly<Record<Link['view'], (session: Session) => ComponentChildren>> = {
  // its views hold on to signals of one session
  world: (session) => <World key={session.id} session={session} />,
  specification: (session) => (
    <main class="page">
      <Specification session={session} />
    </main>
  ),
  check: (session) => (
    <main class="page wide">
      <Check session={session} />
    </main>
  ),
  paths: (session) => (
    <main class="page wide">
      <Paths session={session} />
    </main>
  ),
};
