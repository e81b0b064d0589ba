/**
 * Evaluates a classic script at once. An inline element does that also where the page is a file,
 * and tells its errors in full.
 *
 * @throws what the script throws, and its syntax errors.
 */
export function evaluate(source: string): void {
  let failure: unknown;
  const failed = (event: ErrorEvent) => {
    failure = event.error ?? event.message;
    event.preventDefault(); // it is shown to the user
  };
  addEventListener('error', failed);
  const script = document.createElement('script');
  script.textContent = source;
  document.head.append(script);
  script.remove();
  removeEventListener('error', failed);
  if (failure !== undefined) throw failure;
}
