export function Own() {
  return <section aria-label="Your own" />;
}
