export { binomialInterval } from "./binomial.ts";
export { independentRatioInterval, medianInterval, ratioInterval } from "./interval.ts";
export { detectableRatio } from "./power.ts";
export { Histogram, RESOLUTION } from "./histogram.ts";
export { holm, mannWhitney, smallestP } from "./significance.ts";
export { medianOf, spreadPercent } from "./spread.ts";
export { simultaneousIntervals, theilSen } from "./theil-sen.ts";
export { summarise } from "./quantiles.ts";
export { smallestStratifiedP, stratifiedRatio, superiority, vanElteren } from "./van-elteren.ts";
