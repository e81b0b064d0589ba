export {
  type Goal,
  type Link,
  linkText,
  type Notes,
  type Panel,
  parseLink,
  type Setup,
} from './link.js';
