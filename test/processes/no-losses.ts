/** The losses of a load in which each row, event and delivery came exactly once. */
export const noLosses = {
  rowsLost: 0,
  rowsTwice: 0,
  eventsLost: 0,
  eventsTwice: 0,
  deliveriesLost: 0,
  deliveriesTwice: 0,
};
