/**
 * Group membership with views and virtual synchrony (K. P. Birman, T. A. Joseph, SOSP 1987).
 * Complete network, FIFO, a perfect failure detector. Rules GM1–GM14: README.md
 */
import { and } from 'xstate';
import { context, member } from './member-setup.js';

/** All that this view has sent here has arrived. */
const laterMessage = { actions: 'keepEarly', description: 'GM12: of the next view' } as const;
/** A message of this view, outside of it. */
const earlyMessage = { guard: 'isOfLaterView', actions: 'keepEarly', description: 'GM12' } as const;
/**
 * No view begins without an answer of each member, so a member that has not answered gets nothing
 * of a later one.
 */
const messageOfOtherView = {
  guard: 'isOfOtherView',
  description: 'GM12: of an earlier view, or of no member',
} as const;
const messageInFlush = {
  description: 'GM6, GM12: it is in the flush, or of an earlier view',
} as const;

/** The next view, from its coordinator or from a member that has it. */
const onNewView = [
  {
    guard: and(['isNextView', 'isInNextView']),
    target: 'open',
    actions: ['learn', 'deliverRest', 'install', 'sendQueued', 'askToLeave'],
    description: 'GM8, GM9',
  },
  {
    guard: 'isNextView',
    target: 'outside',
    actions: ['learn', 'deliverRest', 'depart'],
    description: 'GM8, GM10',
  },
  { description: 'GM9: known, or of a coordinator that was replaced' },
] as const;

/** A coordinator asks what a member has. */
const onFlush = [
  { guard: 'isOfEarlierView', actions: 'tellDecision', description: 'GM11' },
  { guard: 'isOfLaterView', actions: 'tellBehind', description: 'GM11' },
  { guard: 'isInOrder', target: 'flushing', actions: 'answerFlush', description: 'GM6' },
  { description: 'GM7: of a coordinator that was replaced' },
] as const;

const onFlushAsCoordinator = [
  { guard: 'isOfEarlierView', actions: 'tellDecision', description: 'GM11' },
  { actions: 'keepEarly', description: 'GM12' },
] as const;

/**
 * What another member has, where this node does not collect it. It asks again a member that is
 * ahead of it.
 */
const onFlushed = [
  { guard: 'isBehind', actions: 'tellDecision', description: 'GM11' },
  { description: 'GM7: of an earlier flush' },
] as const;

/**
 * From a member whose coordinator has crashed: this node is to take over, or has the next view when
 * it gets to it.
 */
const onFlushedEarly = [
  { guard: 'isBehind', actions: 'tellDecision', description: 'GM11' },
  { actions: 'keepEarly', description: 'GM12' },
] as const;

/** In the states in which a member does not send. */
const withoutSending = {
  multicast: { actions: 'queue', description: 'GM3' },
  leave: { actions: 'wantToLeave', description: 'GM5' },
  submit: [earlyMessage, messageInFlush],
  message: [earlyMessage, messageInFlush],
} as const;

export const group = {
  on: {
    'join-request': { actions: 'noteJoin', description: 'GM4' },
    down: { actions: 'noteDown', description: 'GM5' },
    acknowledge: { description: 'GM13: of a view that ends, or of no member' },
    welcome: { description: 'GM9: known, or of a coordinator that was replaced' },
    'leave-request': [
      earlyMessage,
      { guard: 'isOfEarlierView', description: 'GM12: of an earlier view' },
      { actions: 'noteLeave', description: 'GM5' },
    ],
  },
  initial: 'starting',
  states: {
    starting: {
      always: [
        { guard: 'isFounder', target: 'open', actions: 'found', description: 'GM1' },
        { target: 'outside' },
      ],
    },
    outside: {
      tags: 'outside',
      on: {
        join: { target: 'joining', actions: 'askToJoin', description: 'GM4' },
        flush: [
          { guard: 'isOfEarlierView', actions: 'tellDecision', description: 'GM11' },
          { actions: 'decline', description: 'GM11' },
        ],
        'leave-request': { description: 'GM10: not a member' },
        submit: { description: 'GM10: not a member' },
        message: { description: 'GM10: not a member' },
        flushed: onFlushed,
        'new-view': { description: 'GM10: not a member' },
      },
    },
    joining: {
      tags: 'joining',
      always: {
        guard: 'isCoordinatorDown',
        target: 'joining',
        actions: 'askToJoin',
        description: 'GM4',
      },
      on: {
        flush: [
          { guard: 'knowsNextView', actions: 'tellDecision', description: 'GM11' },
          { guard: 'isForEarlierStart', description: 'GM6: before it crashed' },
          { guard: 'isUnasked', actions: 'answerFlush', description: 'GM6' },
          { guard: 'isOfEarlierView', actions: 'tellBehind', description: 'GM11' },
          { guard: 'isOfLaterView', actions: 'keepEarly', description: 'GM12' },
          { guard: 'isInOrder', actions: 'answerFlush', description: 'GM7' },
          { description: 'GM7: of a coordinator that was replaced' },
        ],
        'join-request': [
          {
            guard: and(['isNewAttempt', 'isUnasked']),
            actions: ['noteJoin', 'repeatRequest'],
            description: 'GM4',
          },
          { actions: 'noteJoin', description: 'GM4' },
        ],
        welcome: [
          {
            guard: and(['isFromCoordinator', 'isOfThisAttempt']),
            target: 'open',
            actions: ['learn', 'install', 'sendQueued', 'askToLeave'],
            description: 'GM9',
          },
          { guard: 'isFromCoordinator', actions: 'askToJoin', description: 'GM4' },
          { description: 'GM9: of a coordinator that was replaced' },
        ],
        submit: { actions: 'keepEarly', description: 'GM12' },
        message: { actions: 'keepEarly', description: 'GM12' },
        flushed: onFlushed,
        'new-view': [
          {
            guard: and(['isFromCoordinator', 'isAhead']),
            actions: 'askToJoin',
            description: 'GM4',
          },
          { description: 'GM9: known, or of another coordinator' },
        ],
      },
    },
    open: {
      tags: 'member',
      always: {
        guard: and(['isActing', 'wantsChange']),
        target: 'collecting',
        actions: 'askToFlush',
        description: 'GM6',
      },
      on: {
        multicast: { actions: 'multicast', description: 'GM2' },
        leave: { actions: ['wantToLeave', 'askToLeave'], description: 'GM5' },
        submit: [messageOfOtherView, { actions: 'publishSubmitted', description: 'GM2' }],
        message: [messageOfOtherView, { actions: 'deliver', description: 'GM2' }],
        acknowledge: [messageOfOtherView, { actions: 'noteAcknowledgement', description: 'GM13' }],
        flush: [
          { guard: 'isOfEarlierView', actions: 'tellDecision', description: 'GM11' },
          messageOfOtherView,
          { target: 'flushing', actions: 'answerFlush', description: 'GM6' },
        ],
        'new-view': { description: 'GM9: known' },
        flushed: onFlushedEarly,
      },
    },
    flushing: {
      tags: ['member', 'waiting'],
      always: [
        {
          guard: and(['isCoordinatorGone', 'isActing']),
          target: 'collecting',
          actions: 'askToFlush',
          description: 'GM7',
        },
        { guard: 'isCoordinatorGone', actions: 'turnToNext', description: 'GM7' },
      ],
      on: {
        ...withoutSending,
        submit: laterMessage,
        flush: onFlush,
        'new-view': onNewView,
        flushed: onFlushedEarly,
      },
    },
    collecting: {
      tags: ['member', 'waiting'],
      always: {
        guard: 'allAnswered',
        target: 'decided',
        actions: ['decide', 'deliverRest'],
        description: 'GM8',
      },
      on: {
        ...withoutSending,
        flush: onFlushAsCoordinator,
        flushed: [
          { guard: and(['isAwaited', 'isBehind']), actions: 'bringUp', description: 'GM11' },
          { guard: 'isOfLaterView', actions: 'keepEarly', description: 'GM12' },
          { guard: 'isAwaited', actions: 'collect', description: 'GM6' },
          ...onFlushed,
        ],
        'new-view': [
          { guard: 'isAhead', actions: 'adopt', description: 'GM11' },
          { description: 'GM9: known' },
        ],
      },
    },
    decided: {
      always: [
        {
          guard: 'needsSnapshot',
          target: 'handover',
          actions: 'askForSnapshot',
          description: 'GM14',
        },
        {
          guard: 'staysMember',
          target: 'open',
          actions: ['announce', 'install', 'sendQueued', 'askToLeave'],
          description: 'GM8, GM9',
        },
        { target: 'outside', actions: ['announce', 'depart'], description: 'GM8, GM10' },
      ],
    },
    handover: {
      tags: ['member', 'waiting', 'handover'],
      on: {
        ...withoutSending,
        submit: laterMessage,
        message: laterMessage,
        flush: onFlushAsCoordinator,
        snapshot: [
          {
            guard: 'staysMember',
            target: 'open',
            actions: ['announce', 'install', 'sendQueued', 'askToLeave'],
            description: 'GM14, GM9',
          },
          { target: 'outside', actions: ['announce', 'depart'], description: 'GM14, GM10' },
        ],
        flushed: onFlushed,
        'new-view': { description: 'GM9: known' },
      },
    },
  },
} as const;

/** A member that the network tells of crashes. */
export const machine = member.createMachine({ id: 'membership', context, ...group });
