// The pages this reader has on this server.
import { computed } from '@preact/signals';
import { isOperator } from '../data/identity';
import { available } from '../data/routes';
import { PLACES } from './places';

export const visiblePlaces = computed(() =>
  PLACES.filter((place) => (!place.needs || available.value.has(place.needs)) && (place.role !== 'operator' || isOperator.value)),
);
