export { Channel, type ChannelClock, type ChannelObserver, type ChannelOptions, type Receiver } from './channel.js';
export { type Conditions, conditions, type Delay, delayText, drawDelay, parseDelay, perfect } from './conditions.js';
export { Random } from './random.js';
export {
  type Deliver,
  type Frame,
  type LinkCommand,
  type LinkOptions,
  type ReliableOptions,
  reliable,
  reliableLink,
} from './reliable/index.js';
