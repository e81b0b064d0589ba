/*
 * The reference model of bench/explore.mjs (see reference.mjs) for SPIN: the same states, the same transitions.
 *
 * There is one process. Each of its steps is one action of the system: acquire, release, or the delivery of a channel's head. There are N nodes
 * with R entries each. CAP is the capacity of a channel. A list of nodes (replies, deferred) is a number to the base N + 1, whose digits are the
 * nodes plus one. Hidden variables are not part of the state.
 */
#ifndef N
#define N 3
#endif
#ifndef R
#define R 2
#endif
#ifndef CAP
#define CAP 4
#endif
#if N == 3
#define LIST byte
#else
#define LIST short
#endif

#define RELEASED 0
#define WANTED 1
#define HELD 2
#define REPLY 0 /* a message is the time stamp of a request, or this */

byte value[N];
byte clock[N];
byte ts[N];
LIST replies[N];
LIST deferred[N];
byte commands[N] = R;
chan link[N * N] = [CAP] of { byte };

hidden byte message;
hidden byte peer;
hidden byte count;
hidden byte holders;
hidden int list;
hidden int digit;

#define FROM_TO(from, to) link[(from) * N + (to)]

#define ACQUIRE(i) \
  :: d_step { \
       value[i] == RELEASED && commands[i] > 0 -> \
       commands[i]--; clock[i]++; ts[i] = clock[i]; replies[i] = 0; value[i] = WANTED; \
       peer = 0; \
       do :: peer == N -> break \
          :: peer != i && peer < N -> FROM_TO(i, peer) ! ts[i]; peer++ \
          :: else -> peer++ \
       od; \
       peer = 0 \
     }

#define RELEASE(i) \
  :: d_step { \
       value[i] == HELD -> \
       list = deferred[i]; deferred[i] = 0; value[i] = RELEASED; \
       digit = 1; \
       do :: list >= digit * (N + 1) -> digit = digit * (N + 1) :: else -> break od; \
       do :: list == 0 -> break \
          :: else -> FROM_TO(i, list / digit - 1) ! REPLY; list = list % digit; digit = digit / (N + 1) \
       od; \
       digit = 0 \
     }

#define DELIVER(j, i) \
  :: d_step { \
       FROM_TO(j, i) ? message -> \
       if \
       :: message == REPLY -> \
          replies[i] = replies[i] * (N + 1) + j + 1; \
          list = replies[i]; count = 0; \
          do :: list > 0 -> list = list / (N + 1); count++ :: else -> break od; \
          if \
          :: count == N - 1 -> \
             value[i] = HELD; \
             holders = 0; peer = 0; \
             do :: peer == N -> break :: else -> holders = holders + (value[peer] == HELD); peer++ od; \
             assert(holders <= 1); peer = 0 \
          :: else \
          fi \
       :: else -> \
          if :: message > clock[i] -> clock[i] = message + 1 :: else -> clock[i]++ fi; \
          if \
          :: value[i] == HELD || (value[i] == WANTED && (ts[i] < message || (ts[i] == message && i < j))) -> \
             deferred[i] = deferred[i] * (N + 1) + j + 1 \
          :: else -> FROM_TO(i, j) ! REPLY \
          fi \
       fi; \
       message = 0 \
     }

active proctype system() {
end:
  do
  ACQUIRE(0) ACQUIRE(1) ACQUIRE(2)
  RELEASE(0) RELEASE(1) RELEASE(2)
  DELIVER(0, 1) DELIVER(0, 2) DELIVER(1, 0) DELIVER(1, 2) DELIVER(2, 0) DELIVER(2, 1)
#if N == 4
  ACQUIRE(3) RELEASE(3)
  DELIVER(0, 3) DELIVER(1, 3) DELIVER(2, 3) DELIVER(3, 0) DELIVER(3, 1) DELIVER(3, 2)
#endif
  od
}
