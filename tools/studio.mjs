/** Says where the page is that `npm run build` has written. */
import { pageUrl } from '@conclave/studio/internal/page';

console.log(`Open ${pageUrl.href}`);
