import type { Protocol } from '@conclave/core/protocol';

/** A protocol that is not of the catalogue: bundled into the page, dropped or pasted. */
export interface OwnProtocol {
  readonly protocol: Protocol;
  /** The bundled module: a worker evaluates it again. */
  readonly source: string;
}

const own = new Map<string, OwnProtocol>();

/** Makes a protocol known to this page; one of the same name is replaced. */
export const addOwn = (added: OwnProtocol): void => {
  own.set(added.protocol.name, added);
};

export const ownProtocol = (name: string): OwnProtocol | undefined => own.get(name);

/** In the order in which they were given. */
export const ownProtocols = (): readonly OwnProtocol[] => [...own.values()];
