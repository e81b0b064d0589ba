/** A text as a part of a link, and back: deflated, in base64url. */

/** More than anybody writes: a link that unpacks to more was made to fill the memory. */
const mostCharacters = 400_000;

export async function packed(text: string): Promise<string> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  let binary = '';
  for (const byte of new Uint8Array(await new Response(stream).arrayBuffer()))
    binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

export interface Unpacked {
  readonly text: string;
  /** Whether its end is missing. */
  readonly isCut: boolean;
}

/** What `packed` was given; of a text that was cut off or changed, what comes before. */
export async function unpacked(code: string): Promise<Unpacked> {
  const stream = new DecompressionStream('deflate-raw');
  const writer = stream.writable.getWriter();
  const reader = stream.readable.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  let isCut = false;
  const reading = (async () => {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      text += value;
      if (text.length > mostCharacters) await reader.cancel().then(() => Promise.reject());
    }
  })().catch(() => {
    isCut = true;
  });
  const [whole = ''] = /^[\w-]*/.exec(code) ?? [];
  try {
    // A stream that fails forgets what nobody has read: it is written in pieces, and read at once.
    for (const piece of whole.match(/.{1,64}/g) ?? []) {
      await writer.write(bytesOf(piece));
      await new Promise((resolve) => setTimeout(resolve));
    }
    await writer.close();
  } catch {
    isCut = true;
  }
  await reading;
  return { text, isCut: isCut || whole !== code };
}

/** Of base64url without padding. */
const bytesOf = (code: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(
    atob(
      code
        .replaceAll('-', '+')
        .replaceAll('_', '/')
        .slice(0, code.length % 4 === 1 ? -1 : undefined),
    ),
    (character) => character.charCodeAt(0),
  );
