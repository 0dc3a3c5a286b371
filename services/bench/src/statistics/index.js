export { binomialInterval } from "./binomial.js";
export { independentRatioInterval, medianInterval, ratioInterval } from "./interval.js";
export { detectableRatio } from "./power.js";
export { Histogram, RESOLUTION } from "./histogram.js";
export { holm, mannWhitney, smallestP } from "./significance.js";
export { medianOf, spreadPercent } from "./spread.js";
export { simultaneousIntervals, theilSen } from "./theil-sen.js";
export { summarise } from "./quantiles.js";
export { smallestStratifiedP, stratifiedRatio, superiority, vanElteren } from "./van-elteren.js";
