/** What JavaScript provides. A call may throw, which ends the search. */

/** Computes a missing entry of a table; see format/tables.ts. */
export declare function lookup(kind: i32, owner: i32, first: i32, second: i32): i32;

/** A world to look at; false ends the search. */
export declare function found(world: i32): boolean;

/** A world without actions, which is in `state`; false ends the search. */
export declare function ended(world: i32): boolean;

/** An action of the current world that fails; false ends the search. */
export declare function fault(action: i32, step: i32): boolean;

/** Takes the collected edges: of `worlds` worlds from `first` on. */
export declare function takeEdges(count: i32, first: i32, worlds: i32): void;

/**
 * The number of the target of a record among the worlds of the next memory, which adds it if it is
 * new: this one is full.
 */
export declare function addElsewhere(record: usize): u32;

/** Copies a world of the next memory as numbers of 32 bits. */
export declare function readElsewhere(world: u32, into: usize): void;

/** Throws: the memory cannot grow. */
export declare function full(): void;
