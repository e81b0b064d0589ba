/** What the clients of an election have shown, and who has led. Times are of one clock. */
export class Followed {
  shown = 0;
  /** By term: who has led, and since when, by its own word. */
  #led = new Map();
  /** By client and term: whom it has shown, and when it looked last. */
  #looks = new Map();
  #last = new Map();
  #falls = [];

  led(id, term, since) {
    if (!this.#led.has(term)) this.#led.set(term, { id, since });
  }

  /** `at`: just before it looked; `id` is null where it shows nobody. */
  showed(client, { id, term, at }) {
    if (id === null) return;
    this.shown++;
    const last = this.#last.get(client) ?? 0;
    if (term < last) this.#falls.push(`${client} shows term ${term} after ${last}`);
    this.#last.set(client, Math.max(term, last));
    this.#looks.set(`${client} ${id} ${term}`, { client, id, term, at });
  }

  /** To be asked at the end: what a client tells may arrive before what its leader tells. */
  violations() {
    const leaders = [...this.#led].map(([term, { since }]) => ({ term, since }));
    return [
      ...this.#falls,
      ...[...this.#looks.values()].flatMap(({ client, id, term, at }) => {
        const shows = `${client} shows ${id} in term ${term}`;
        if (this.#led.get(term)?.id !== id) return [`${shows}, in which it has not led`];
        const next = Math.min(...leaders.filter((one) => one.term > term).map((one) => one.since));
        return at > next ? [`${shows} ${at - next} µs after another one led in a later term`] : [];
      }),
    ];
  }
}
