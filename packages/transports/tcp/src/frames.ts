const headerBytes = 4;
const heartbeatLength = 0xffffffff;
/** A larger buffer is given up when it is empty. */
const mostKept = 1 << 16;

/** A length that no frame has, without a body: it says that the sender is alive. */
export const heartbeat: Uint8Array = Uint8Array.of(0xff, 0xff, 0xff, 0xff);

/** Puts frames one after the other: the length of each in bytes, 32 bits, big-endian; then UTF-8. */
export class FrameWriter {
  /** Grows, and is used again: a program that sends much sends much again. */
  #bytes = Buffer.allocUnsafe(1024);
  /** In bytes. */
  length = 0;

  put(text: string): void {
    // in UTF-8 a UTF-16 unit takes up to three bytes
    this.#reserve(headerBytes + 3 * text.length);
    const written = this.#bytes.write(text, this.length + headerBytes);
    this.#bytes.writeUInt32BE(written, this.length);
    this.length += headerBytes + written;
  }

  /** All frames, once. */
  take(): Buffer {
    const all = Buffer.from(this.#bytes.subarray(0, this.length));
    this.length = 0;
    if (this.#bytes.length > mostKept) this.#bytes = Buffer.allocUnsafe(mostKept);
    return all;
  }

  #reserve(more: number): void {
    const size = this.length + more;
    if (size <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(size, 2 * this.#bytes.length));
    this.#bytes.copy(larger, 0, 0, this.length);
    this.#bytes = larger;
  }
}

/** Takes what a {@link FrameReader} finds. */
export interface FrameSink {
  /** `bytes` are valid during the call. */
  frame(bytes: Uint8Array): void;
  /** A frame longer than the limit begins; the reader skips it. */
  tooLong(): void;
}

/** Cuts a stream of bytes into frames. A longer frame than `limit` is skipped, and never held. */
export class FrameReader {
  readonly #header = Buffer.alloc(headerBytes);
  #headerFilled = 0;
  #body: Buffer | undefined;
  #bodyFilled = 0;
  #skip = 0;

  constructor(
    public limit: number,
    private readonly sink: FrameSink,
  ) {}

  push(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#skip > 0) {
        const skipped = Math.min(this.#skip, chunk.length - at);
        this.#skip -= skipped;
        at += skipped;
      } else if (this.#body) at += this.#fill(this.#body, chunk, at);
      else at = this.#begin(chunk, at);
    }
  }

  #fill(body: Buffer, chunk: Buffer, at: number): number {
    const copied = chunk.copy(body, this.#bodyFilled, at);
    this.#bodyFilled += copied;
    if (this.#bodyFilled === body.length) {
      this.#body = undefined;
      this.sink.frame(body);
    }
    return copied;
  }

  /** Reads a header, and the body where the chunk has all of it. Returns where it stopped. */
  #begin(chunk: Buffer, at: number): number {
    const copied = chunk.copy(
      this.#header,
      this.#headerFilled,
      at,
      at + headerBytes - this.#headerFilled,
    );
    const body = at + copied;
    this.#headerFilled += copied;
    if (this.#headerFilled < headerBytes) return body;
    this.#headerFilled = 0;
    const length = this.#header.readUInt32BE(0);
    if (length === heartbeatLength) return body;
    if (length > this.limit) {
      this.#skip = length;
      this.sink.tooLong();
      return body;
    }
    if (chunk.length - body >= length) {
      this.sink.frame(chunk.subarray(body, body + length));
      return body + length;
    }
    this.#body = Buffer.allocUnsafe(length);
    this.#bodyFilled = 0;
    return body;
  }
}
